import { describe, expect, it } from "vitest";
import type { Evidence } from "./container-end.ts";
import { kvCacheTooSmall } from "./engine-logs.fixture.ts";
import type { RawPodState } from "./pod-containers.ts";
import { logToRead, podFailure } from "./pod-failure.ts";

type Spec = NonNullable<NonNullable<RawPodState["spec"]>["containers"]>[number];
type Status = NonNullable<NonNullable<RawPodState["status"]>["containerStatuses"]>[number];

const image = "vllm/vllm-openai:v0.11.0";

/** Returns a pod with one container. */
const podWith = (status: Status, spec: Spec = {}): RawPodState => ({
  spec: { containers: [{ name: "vllm", ...spec }] },
  status: { containerStatuses: [{ name: "vllm", image, ready: false, ...status }] },
});

const waiting = (reason: string, message?: string): Status => ({
  state: { waiting: { reason, ...(message !== undefined && { message }) } },
});

type Termination = NonNullable<NonNullable<Status["lastState"]>["terminated"]>;

/** A container that ended after a number of seconds and waits for its restart. */
const crashed = (terminated: Termination, seconds = 20): Status => ({
  ...waiting("CrashLoopBackOff", "back-off 5m0s restarting failed container=vllm"),
  restartCount: 2,
  lastState: {
    terminated: {
      startedAt: "2026-01-01T00:00:00Z",
      finishedAt: new Date(Date.UTC(2026, 0, 1, 0, 0, seconds)).toISOString(),
      ...terminated,
    },
  },
});

describe("an image that cannot be pulled is reported with the registry's response", () => {
  const of = (response: string) =>
    `failed to pull and unpack image "docker.io/${image}": ${response}`;
  const resolve = `failed to resolve reference "docker.io/${image}": `;
  const failure = `image ${image}`;

  it.each([
    ["ImagePullBackOff", undefined, failure],
    ["ImagePullBackOff", `Back-off pulling image "${image}"`, failure],
    [
      "ErrImagePull",
      `rpc error: code = NotFound desc = ${of(`${resolve}docker.io/${image}: not found`)}`,
      `${failure}: not found`,
    ],
    [
      "ImagePullBackOff",
      `Back-off pulling image "${image}": ErrImagePull: ${of(`${resolve}pull access denied, repository does not exist or may require authorization: server message: insufficient_scope: authorization failed`)}`,
      `${failure}: pull access denied, repository does not exist or may require authorization: server message: insufficient_scope: authorization failed`,
    ],
    [
      "ErrImagePull",
      of(
        `${resolve}unexpected status from HEAD request to https://registry.example/v2/vllm/manifests/v9: 401 Unauthorized`,
      ),
      `${failure}: unexpected status from HEAD request to https://registry.example/v2/vllm/manifests/v9: 401 Unauthorized`,
    ],
    [
      "ErrImageNeverPull",
      `Container image "${image}" is not present with pull policy of Never`,
      `${failure}: Container image "${image}" is not present with pull policy of Never`,
    ],
  ])("%s: %j", (reason, message, expected) =>
    expect(podFailure(podWith(waiting(reason, message)))).toBe(`${reason}: ${expected}`),
  );
});

it("a container that cannot be created is reported with the kubelet's message", () => {
  const pod = podWith(waiting("CreateContainerConfigError", 'secret "hf-token" not found'));
  expect(podFailure(pod)).toBe('CreateContainerConfigError: secret "hf-token" not found');
});

it("an evicted pod is reported with the kubelet's message", () => {
  const message = "The node was low on resource: memory. ";
  expect(podFailure({ status: { phase: "Failed", reason: "Evicted", message } })).toBe(
    "Evicted: The node was low on resource: memory.",
  );
});

describe("a container that was killed for memory is reported with its limit", () => {
  const end = { exitCode: 137, reason: "OOMKilled" };
  const limited: Spec = { resources: { limits: { memory: "64Gi" } } };
  const text = "CrashLoopBackOff: vllm was killed for memory at its limit of 64Gi";

  it.each([
    ["before its restart", { state: { terminated: end } }, limited, text],
    ["between restarts", crashed(end), limited, text],
    ["while it loads again", { restartCount: 1, lastState: { terminated: end } }, limited, text],
    ["once it is ready", { ready: true, lastState: { terminated: end } }, limited, undefined],
    [
      "without a limit",
      crashed(end),
      {},
      "CrashLoopBackOff: vllm was killed for memory; it has no memory limit, so its pod or node had too little",
    ],
  ])("%s", (_, status, spec, expected) => expect(podFailure(podWith(status, spec))).toBe(expected));
});

describe("a container that a probe ended is reported with the load and the probe's limit", () => {
  const startupProbe = { periodSeconds: 10, failureThreshold: 60 };
  const livenessProbe = { initialDelaySeconds: 30 };
  const killed = { exitCode: 137, reason: "Error" };
  const log =
    "Loading safetensors checkpoint shards:  45% Completed | 9/20 [00:12<00:14, 1.3s/it]\n";
  const event = (kind: string, at = "2026-01-01T00:10:00Z") => ({
    killings: [{ message: `Container vllm failed ${kind} probe, will be restarted`, at }],
  });
  const crash = "CrashLoopBackOff: ";
  const raise = "(it allows 600 s); raise its failureThreshold";

  it.each<[string, Status, Spec, Evidence, string]>([
    [
      "from the length of its run",
      crashed(killed, 630),
      { startupProbe },
      { log },
      `vllm's startup probe ended the load at 45 % after 630 s ${raise}`,
    ],
    [
      "from the length of its run, without its log",
      crashed({ exitCode: 143, reason: "Error" }, 600),
      { startupProbe },
      {},
      `vllm's startup probe ended its start after 600 s ${raise}`,
    ],
    [
      "from an event",
      crashed({ exitCode: 0, reason: "Completed" }, 900),
      { startupProbe },
      { ...event("startup"), log },
      `vllm's startup probe ended the load at 45 % after 900 s ${raise}`,
    ],
    [
      "with a liveness probe only",
      crashed(killed, 62),
      { livenessProbe },
      { log },
      "vllm's liveness probe ended the load at 45 % after 62 s (it allows 60 s); add a startupProbe",
    ],
    [
      "after it had started",
      crashed(killed, 9_000),
      { startupProbe, livenessProbe },
      { ...event("liveness", "2026-01-01T02:00:00Z"), log },
      "vllm's liveness probe ended it after 9000 s",
    ],
    [
      "with a liveness probe only, after it had served",
      crashed(killed, 9_000),
      { livenessProbe },
      { ...event("liveness", "2026-01-01T02:00:00Z"), log },
      "vllm's liveness probe ended it after 9000 s",
    ],
    [
      "unless the event is about an earlier run",
      crashed(killed, 9_000),
      { startupProbe },
      event("startup", "2025-12-31T23:00:00Z"),
      "exit code 137",
    ],
    [
      "unless the run was shorter",
      crashed(killed, 300),
      { startupProbe },
      { log },
      "exit code 137",
    ],
    [
      "unless the log contains an exception",
      crashed(killed, 610),
      { startupProbe },
      { log: `${log}RuntimeError: Not enough memory.\n` },
      "exit code 137: RuntimeError: Not enough memory.",
    ],
  ])("%s", (_, status, spec, evidence, expected) =>
    expect(podFailure(podWith(status, spec), evidence)).toBe(crash + expected),
  );
});

describe("a crash is reported with its cause in the termination message", () => {
  const crash = "CrashLoopBackOff: exit code 1";
  const error = "/config/config.yaml cannot be used:\n  plugins[0]: a\n  plugins[1]: b";

  it.each([
    [undefined, crash],
    ["", crash],
    ["starting\nout of memory\n", `${crash}: out of memory`],
    ["null", `${crash}: null`],
    [
      `${JSON.stringify({ level: "info", msg: "x" })}\n${JSON.stringify({ level: "error", msg: "the endpoint picker failed", error })}\n`,
      `${crash}: /config/config.yaml cannot be used: plugins[0]: a; plugins[1]: b`,
    ],
    ["x".repeat(2000), `${crash}: ${"x".repeat(597)}...`],
  ])("%j", (message, expected) => {
    const pod = podWith(crashed({ exitCode: 1, ...(message !== undefined && { message }) }));
    expect(podFailure(pod)).toBe(expected);
  });

  it("a crash without a termination message is reported with the exception in its log", () => {
    const pod = podWith(crashed({ exitCode: 1, reason: "Error" }));
    expect(podFailure(pod, { log: kvCacheTooSmall })).toMatch(
      /^CrashLoopBackOff: exit code 1: ValueError: To serve at least one request with/,
    );
  });
});

describe("logToRead", () => {
  const end = { exitCode: 1, reason: "Error" };
  it.each<[string, Status, object | undefined]>([
    ["returns the previous run of a restarted container", crashed(end), { previous: true }],
    [
      "returns the current run of a container that has just ended",
      { restartCount: 3, state: { terminated: end } },
      { previous: false },
    ],
    ["returns nothing if there is a message", crashed({ ...end, message: "no" }), undefined],
    ["returns nothing after an OOM kill", crashed({ reason: "OOMKilled" }), undefined],
    ["returns nothing for an image", waiting("ErrImagePull"), undefined],
  ])("%s", (_, status, expected) =>
    expect(logToRead(podWith(status))).toEqual(expected && { container: "vllm", ...expected }),
  );
});
