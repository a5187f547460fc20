import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runCommandLine } from "./program.ts";
import type { Terminal } from "./terminal.ts";

/** A service in FusionInfer's shape, for tests. */
export const sampleManifest = (name: string, change = "") => `\
apiVersion: fusioninfer.io/v1alpha1
kind: InferenceService
metadata:
  name: ${name}
spec:
  roles:
    - name: prefill
      componentType: prefiller
      drainSeconds: 0
      multinode: { nodeCount: 2 }
      template:
        spec:
          containers:
            - name: vllm
              image: vllm/vllm-openai:v0.11.0
              args: [--model, m, --kv-transfer-config.kv_connector, NixlConnector, --kv-transfer-config.kv_role, kv_both]
              resources: { limits: { nvidia.com/gpu: "8" } }
    - name: decode
      componentType: decoder
      replicas: 2
      drainSeconds: 0
      multinode: { nodeCount: 4 }
      template:
        spec:
          containers:
            - name: vllm
              image: vllm/vllm-openai:v0.11.0
              args: [--model, m, --kv-transfer-config.kv_connector, NixlConnector, --kv-transfer-config.kv_role, kv_both]
              resources: { limits: { nvidia.com/gpu: "8" } }
${change}`;

export interface Ran {
  code: number;
  out: string;
  err: string;
}

/** Runs the command line in this process. With colour, its output is a terminal. */
export async function run(
  args: readonly string[],
  stdin = "",
  colour = false,
  world: Pick<Terminal, "startPack" | "now" | "ownDependency"> = {},
): Promise<Ran> {
  const ran = { code: 0, out: "", err: "" };
  const code = await runCommandLine(args, {
    out: {
      write: (text) => {
        ran.out += text;
      },
      colour,
      isTerminal: colour,
    },
    err: {
      write: (text) => {
        ran.err += text;
      },
      colour,
      isTerminal: colour,
    },
    readStdin: async () => stdin,
    ...world,
  });
  return { ...ran, code };
}

/** A folder of files that is deleted at the end of the test. */
export function folderOf(files: Record<string, string>): Disposable & { path: string } {
  const path = mkdtempSync(join(tmpdir(), "pulumi-inference-cli-"));
  for (const [name, content] of Object.entries(files)) writeFileSync(join(path, name), content);
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}
