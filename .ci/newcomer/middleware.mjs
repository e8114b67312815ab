// The middleware in an agent of langchain's createAgent, in somebody else's project, with a model that follows a script.
import { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { AIMessage } from "@langchain/core/messages";
import { createAgent } from "langchain";
import { createSandbox } from "sallyport";
import { codeExecutionMiddleware } from "sallyport/middleware";

const CALL = { id: "call_1", name: "run_javascript_sandboxed", args: { source: "6 * 7" }, type: "tool_call" };

class Scripted extends BaseChatModel {
  _llmType() {
    return "scripted";
  }
  bindTools() {
    return this;
  }
  async _generate(messages) {
    const isAnswered = messages.at(-1).getType() === "tool";
    const message = new AIMessage(isAnswered ? "Done." : { content: "", tool_calls: [CALL] });
    return { generations: [{ text: message.text, message }] };
  }
}

const sandbox = await createSandbox();
const agent = createAgent({ model: new Scripted({}), middleware: [codeExecutionMiddleware({ sandbox })] });
const { messages } = await agent.invoke({ messages: [{ role: "user", content: "Compute." }] });
await sandbox.close();
console.log(JSON.stringify(messages.map(({ text }) => text)));
