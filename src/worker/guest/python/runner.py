pass
def sallyport_run(text, sleep):
    return "R42"
