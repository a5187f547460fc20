import { type ChildProcess, spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { recordSidecar } from "../../runtime/programs/pd-sidecar/sidecar-record.fixture.ts";
import { freePorts } from "../../testing/processes/free-ports.ts";
import { repositoryRoot } from "../../testing/repository.ts";

/**
 * `PD_SIDECAR_GO=FILE npm run bench sidecar/record`: sends requests through llm-d's routing sidecar, and writes what
 * engines were asked and clients got into the record that ours is tested against.
 */

const program = process.env.PD_SIDECAR_GO;
if (program === undefined) throw new Error("PD_SIDECAR_GO is not set: name llm-d's pd-sidecar");

const listens = (port: number) =>
  new Promise<boolean>((resolve) => {
    const socket = connect(port, "127.0.0.1")
      .on("connect", () => resolve(true))
      .on("error", () => resolve(false))
      .on("close", () => socket.destroy());
    socket.end();
  });

const records = await recordSidecar(async ({ connector, encoding }, { decoder, prefiller }) => {
  const [port = 0] = await freePorts(1);
  const child: ChildProcess = spawn(
    program,
    [
      ...["--secure-proxy=false", `--port=${port}`, `--model-server-port=${decoder}`],
      ...[`--kv-connector=${connector}`, `--mooncake-bootstrap-port=${prefiller}`],
      ...(encoding === undefined ? [] : [`--ec-connector=${encoding}`]),
    ],
    { stdio: "ignore", env: { ...process.env, SGLANG_BOOTSTRAP_PORT: "8998" } },
  );
  while (!(await listens(port))) await setTimeout(50);
  return {
    port,
    async stop() {
      child.kill("SIGKILL");
      await new Promise((resolve) => child.once("exit", resolve));
    },
  };
});

const file = join(repositoryRoot, "runtime", "programs", "pd-sidecar", "llm-d-record.json");
writeFileSync(file, `${JSON.stringify(records, null, 2)}\n`);
console.log(`${Object.keys(records).length} requests recorded in ${file}`);
