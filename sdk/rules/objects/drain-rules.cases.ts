import type { Edit, RuleCases } from "./edited-stack.fixture.ts";
import { embedder, server } from "./places.fixture.ts";

const vllm = (...args: string[]): [Edit, Edit] => [
  [embedder, `${server} args`, ["--model", "m", ...args]],
  [embedder, `${server} image`, "vllm/vllm-openai:v0.30.0"],
];
const grace = (seconds: number): Edit => [
  embedder,
  "spec template spec terminationGracePeriodSeconds",
  seconds,
];
const sglang: Edit = [
  embedder,
  `${server} args`,
  ["python3", "-m", "sglang.launch_server", "--model-path", "m"],
];
const pod = "Deployment ml/embedder: spec.template.spec";

export const drainCases: readonly RuleCases[] = [
  {
    rule: "pods-drain-before-they-stop",
    allows: {
      "vLLM that drains within its grace period": [...vllm("--shutdown-timeout", "60"), grace(90)],
      "SGLang with a grace period": [sglang, grace(60)],
      "vLLM before 0.18, which cannot drain": [
        ...vllm(),
        [embedder, `${server} image`, "vllm/vllm-openai:v0.17.1"],
      ],
      "a server that is not a known engine": [],
    },
    refuses: {
      "vLLM that aborts its responses": {
        edits: vllm(),
        finds: [
          `${pod}.containers[0].args: leave --shutdown-timeout at 0, which aborts running responses at SIGTERM; allowed: at least 60 s. Add "--shutdown-timeout", "60".`,
        ],
      },
      "a grace period shorter than the drain": {
        edits: [grace(60), ...vllm("--shutdown-timeout=120")],
        finds: [
          `${pod}.terminationGracePeriodSeconds: is 60 s; allowed: at least 120 s, the time that running responses may take. Raise terminationGracePeriodSeconds.`,
        ],
      },
      "an image of unknown version whose command sets a drain longer than the grace period": {
        edits: [
          [embedder, `${server} image`, "vllm/vllm-openai:latest"],
          vllm("--shutdown-timeout", "120")[0],
        ],
        finds: [
          `${pod}.terminationGracePeriodSeconds: is missing, so it is 30 s; allowed: at least 120 s, the time that running responses may take. Raise terminationGracePeriodSeconds.`,
        ],
      },
      "SGLang with the default grace period": {
        edits: [sglang],
        finds: [
          `${pod}.terminationGracePeriodSeconds: is missing, so it is 30 s; allowed: at least 60 s, the time that running responses may take. Raise terminationGracePeriodSeconds.`,
        ],
      },
    },
  },
];
