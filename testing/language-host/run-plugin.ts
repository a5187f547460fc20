import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { join } from "node:path";
import type { ServerWritableStream } from "@grpc/grpc-js";
import messages from "@pulumi/pulumi/proto/language_pb.js";

type Call = ServerWritableStream<
  InstanceType<typeof messages.RunPluginRequest>,
  InstanceType<typeof messages.RunPluginResponse>
>;

/** Runs a plugin written for Node.js with the runner of its SDK, and sends its output until it ends. */
export function runPlugin(call: Call, gone: AbortSignal): void {
  const { request } = call;
  const directory = request.getInfo()?.getProgramDirectory() ?? "";
  const controller = new AbortController();
  call.on("cancelled", () => controller.abort());
  const runner = createRequire(join(directory, "index.js")).resolve(
    "@pulumi/pulumi/cmd/run-plugin",
  );
  const child = spawn("node", [runner, directory, ...request.getArgsList()], {
    cwd: request.getPwd(),
    env: Object.fromEntries(request.getEnvList().map(nameAndValue)),
    stdio: ["ignore", "pipe", "pipe"],
    signal: AbortSignal.any([controller.signal, gone]),
    killSignal: "SIGKILL",
  });
  const send = (set: (response: InstanceType<typeof messages.RunPluginResponse>) => void) => {
    const response = new messages.RunPluginResponse();
    set(response);
    call.write(response);
  };
  child.stdout.on("data", (data: Buffer) => send((response) => response.setStdout(data)));
  child.stderr.on("data", (data: Buffer) => send((response) => response.setStderr(data)));
  child.on("error", (error) => send((response) => response.setStderr(Buffer.from(error.message))));
  child.on("close", (code) => {
    send((response) => response.setExitcode(code ?? 1));
    call.end();
  });
}

function nameAndValue(variable: string): [string, string] {
  const at = variable.indexOf("=");
  return [variable.slice(0, at), variable.slice(at + 1)];
}
