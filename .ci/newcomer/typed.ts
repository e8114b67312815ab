// What a TypeScript user writes: it has to compile against the published types, with libraries checked as well.
import { createCodeExecutionGraph, createSandbox, DEFAULT_LIMITS, type Observation, SandboxError } from "sallyport";

export async function compute(source: string): Promise<Observation> {
  const sandbox = await createSandbox({ limits: { timeoutMs: DEFAULT_LIMITS.timeoutMs } });
  try {
    const graph = createCodeExecutionGraph({ sandbox, policy: "standard", maxTurns: 3 });
    await graph.invoke({ messages: [{ role: "user", content: "What is the 100th prime?" }] });
    return await sandbox.run({ language: "javascript", source });
  } catch (error) {
    if (error instanceof SandboxError) console.error(error.code);
    throw error;
  } finally {
    await sandbox.close();
  }
}
