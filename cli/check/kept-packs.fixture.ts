import {
  type AnalyzerProcess,
  type StartPack,
  startAnalyzer,
} from "../analyzer/analyzer-process.ts";

/** Packs whose processes serve one command after another, because a process takes seconds to start. */
export interface KeptPacks extends AsyncDisposable {
  readonly start: StartPack;
}

export function keptPacks(): KeptPacks {
  const kept = new Map<string, Promise<AnalyzerProcess>>();
  return {
    async start(options) {
      const key = JSON.stringify(options);
      const started = kept.get(key) ?? startAnalyzer(options);
      kept.set(key, started);
      const { pid, policies, configure, remediate, analyze, analyzeStack } = await started;
      // Each command sets the configuration of all policies again. The end of a command does not end the process.
      const dispose = { [Symbol.asyncDispose]: async () => {} };
      return { pid, policies, configure, remediate, analyze, analyzeStack, ...dispose };
    },
    async [Symbol.asyncDispose]() {
      for (const started of await Promise.allSettled(kept.values()))
        if (started.status === "fulfilled") await started.value[Symbol.asyncDispose]();
    },
  };
}
