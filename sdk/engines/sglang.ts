import { wordsOf } from "./command-line.ts";
import type { Engine } from "./engine.ts";
import { flagValue } from "./flags.ts";

const modes = { prefiller: "prefill", decoder: "decode" } as const;
const modeFlag = "--disaggregation-mode";

/** The flag that names the port of a prefiller's bootstrap server. */
export const bootstrapPortFlag = "--disaggregation-bootstrap-port";

/** SGLang, by `sglang.launch_server --help`. */
export const sglang: Engine = {
  title: "SGLang",
  program: /^(\S*\/)?sglang$|^sglang\./,
  image: /sglang/,
  port: 30000,
  host: "127.0.0.1",
  healthPath: "/health",
  modelFlags: ["--model-path", "--model"],
  unflaggedModel: () => undefined,
  parallelFlags: {
    tensor: ["--tensor-parallel-size", "--tp-size", "--tp"],
    pipeline: ["--pipeline-parallel-size", "--pp-size", "--pp"],
    data: ["--data-parallel-size", "--dp-size", "--dp"],
    dataLocal: [],
  },
  missingTransfer(engine, side) {
    const wanted = modes[side];
    const mode = flagValue(wordsOf(engine), modeFlag);
    if (mode === wanted) return undefined;
    return {
      given:
        mode === undefined
          ? "start SGLang without --disaggregation-mode"
          : `set --disaggregation-mode ${mode}`,
      allowed: `--disaggregation-mode ${wanted} on a ${side}`,
      fix: `Write "--disaggregation-mode", "${wanted}", with the --disaggregation-transfer-backend that both sides have.`,
    };
  },
  // The transfer backend is left to its default, as SGLang's guide has it.
  transferArguments: (_, side) => [modeFlag, modes[side]],
};
