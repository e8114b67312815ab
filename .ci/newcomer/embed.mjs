// The five lines of a newcomer who embeds the sandbox. An argument names the Node that workers are to run on.
import { createSandbox } from "sallyport/sandbox";

const workerNode = process.argv[2];
const sandbox = await createSandbox(workerNode ? { workerNode } : {});
const good = await sandbox.run({ language: "javascript", source: "const result = [1, 2, 3].map((x) => x * 2)" });
const typed = await sandbox.run({ language: "javascript", source: "enum Size { S = 1, L = 7 }\nSize.L" });
const url = await sandbox.run({ language: "javascript", source: "new URL('https://exämple.com/a?b=1').hostname" });
const endless = await sandbox.run({ language: "javascript", source: "console.log('before'); while (true);" });
const report = await sandbox.report();
await sandbox.close();
console.log(JSON.stringify({ host: process.version, worker: report.workerNode, good, typed, url, endless }));
