// What a sandbox says of its network without containment, on the Node that its workers run on, and whether it can be required.
import { createSandbox } from "sallyport";

const [workerNode] = process.argv.slice(2);
const options = { containment: "process", workers: 1, standby: 0, ...(workerNode ? { workerNode } : {}) };
const sandbox = await createSandbox(options);
const { layers, workerNode: worker, containment } = await sandbox.report();
await sandbox.close();
const { active, detail } = layers.find(({ name }) => name === "network");
const required = await createSandbox({ ...options, require: ["network"] }).then(
  async (made) => {
    await made.close();
    return { made: true };
  },
  ({ code, message }) => ({ made: false, code, message }),
);
console.log(JSON.stringify({ worker, containment, active, detail, required }));
