import { environmentOf, scriptSets } from "../../engines/command-line/environment.ts";
import { argumentsField, isScript } from "../../engines/command-line/started-programs.ts";
import { argumentsOf, engineNameOf, engines } from "../../engines/index.ts";
import { publishedImage } from "../../engines/interface/published-images.ts";
import { containersOf, engineOfPods } from "../../stack/workloads.ts";
import { probedPort, probeFields } from "../helpers/leader-probes.ts";
import { eachPodTemplate, rulesOfPack, type StackRule } from "../helpers/stack-rule.ts";
import { enginesListenOnThePod, loopbackProblem } from "../spec/engine-address.ts";

const { objectRule } = rulesOfPack("inference-gpu");

/** Addresses that mean any interface, or the pod itself. */
const ofNoPod = /^(0\.0\.0\.0|127(\.\d+){3}|localhost|\[?::1?\]?)$/i;
const fixedAddress = /^(\d+(\.\d+){3}|\[?[\da-f]*:[\da-f:]+\]?)$/i;

const addressesAreReachable = objectRule(
  { id: "advertised-addresses-are-reachable", code: "reference", level: "advisory" },
  {
    title: "An engine advertises the address of its own pod",
    why: "The engine sends this address to other pods, which connect to it. With 0.0.0.0 or localhost they reach themselves and fail at the first request.",
    source:
      "volcano-sh/kthena#503; vLLM NixlConnector: VLLM_NIXL_SIDE_CHANNEL_HOST is the remote_host of decoders",
    fix: "Set the variable from status.podIP with valueFrom.fieldRef.",
  },
  eachPodTemplate,
  function* (pods) {
    const engine = engineOfPods(pods);
    const name = engine && engineNameOf(engine.container);
    if (engine === undefined || name === undefined) return;
    // Engines of one pod reach one another at localhost.
    const others = containersOf(pods).filter(({ container }) => engineNameOf(container));
    if (others.length > 1) return;
    const { always, inGroups } = engines[name].advertisedHosts;
    const variables = pods.workload.size > 1 ? [...always, ...inGroups] : always;
    for (const [at, { name: variable, value }] of (engine.container.env ?? []).entries()) {
      if (value === undefined || !variables.includes(variable)) continue;
      if (scriptSets(engine.container, variable)) continue;
      if (!ofNoPod.test(value) && !fixedAddress.test(value)) continue;
      yield {
        path: [...engine.path, "env", at, "value"],
        given: `is ${value} for ${variable}, which other pods connect to`,
        allowed: "the address of the pod, from status.podIP",
        fix: "Replace value by valueFrom: {fieldRef: {fieldPath: status.podIP}}.",
      };
    }
  },
);

const enginesListen = objectRule(
  { id: enginesListenOnThePod.id, code: enginesListenOnThePod.code },
  { ...enginesListenOnThePod, fix: "Set --host to 0.0.0.0." },
  eachPodTemplate,
  function* (pods) {
    const engine = pods.isWorker ? undefined : engineOfPods(pods);
    // Without a port and a probe, the program may serve its own pod only.
    const isReached =
      engine !== undefined &&
      ((engine.container.ports ?? []).length > 0 ||
        probeFields.some((field) => probedPort(engine.container[field], engine.container)));
    if (engine === undefined || !isReached || argumentsOf(engine.container).has("--headless"))
      return;
    const problem = loopbackProblem(engine.container, pods.spec);
    if (problem !== undefined)
      yield { path: [...engine.path, argumentsField(engine.container)], ...problem };
  },
);

/** Variables that controllers of groups set in containers. */
const ofControllers = /^(LWS_|JOB_|VC_|GROUP_|ENTRY_|WORKER_|POD_|RAY_)/;

const argumentsAreExpanded = objectRule(
  { id: "arguments-are-expanded", code: "reference", level: "advisory" },
  {
    title: "Variables in a command are in a form that Kubernetes or a shell expands",
    why: "Kubernetes expands only $(NAME), and only variables of the container. An engine then gets the text itself as its model or number.",
    source: "k8s.io/kubernetes, Container: command and args",
    fix: "Write $(NAME), set the variable in env, or start the engine with sh -c.",
  },
  eachPodTemplate,
  function* (pods) {
    const engine = engineOfPods(pods);
    if (engine === undefined || engineNameOf(engine.container) === undefined) return;
    const { command = [], args = [], env, image } = engine.container;
    if (isScript(engine.container) || (command.length === 0 && publishedImage(image) === undefined))
      return;
    const { values, mayHaveMore } = environmentOf(env, Object(engine.container).envFrom);
    for (const [field, words] of Object.entries({ command, args }))
      for (const [at, word] of words.entries()) {
        const [braces] = /\$\{[A-Za-z_]\w*\}/.exec(word) ?? [];
        const names = Array.from(
          word.matchAll(/(?<!\$)\$\(([A-Za-z_]\w*)\)/g),
          ([, name = ""]) => name,
        );
        const missing = mayHaveMore
          ? undefined
          : names.find((name) => !values.has(name) && !ofControllers.test(name));
        const path = [...engine.path, field, at];
        if (braces !== undefined)
          yield {
            path,
            given: `contains ${braces}, which the engine gets as it is written`,
            allowed: `$(${braces.slice(2, -1)}), which Kubernetes expands`,
            fix: `Write $(${braces.slice(2, -1)}), or start the engine with sh -c.`,
          };
        if (missing !== undefined)
          yield {
            path,
            given: `contains $(${missing}), but the container has no variable ${missing}`,
            allowed: "variables of the container",
            fix: `Add ${missing} to env.`,
          };
      }
  },
);

export const addressRules: readonly StackRule[] = [
  addressesAreReachable,
  enginesListen,
  argumentsAreExpanded,
];
