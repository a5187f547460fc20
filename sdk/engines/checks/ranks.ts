/** Divisions of a model that an engine refuses, except for heads and quantization blocks. */

import { orList } from "../../errors.ts";
import { isOverridden, type StartUp, type StartUpCheck } from "../interface/start-up.ts";
import { modelFacts } from "../models/model-facts.ts";
import { presence } from "../options/release.ts";
import { unevenParts, wholeModelOver } from "./model-division.ts";

/** Ranks over which an engine divides its experts evenly. */
export interface ExpertRanks {
  readonly ranks: number;
  /** Copies of experts in addition to the experts of the model, and what sets their number. */
  readonly redundant: number;
  readonly redundantOption: string;
}

/** FusedMoE of vLLM with EPLB, vllm-project/vllm#52435, and of SGLang. */
export const experts = (ranksOf: (startUp: StartUp) => ExpertRanks): StartUpCheck =>
  function* (startUp) {
    const { facts } = startUp;
    if (facts.experts === undefined || isOverridden(startUp)) return;
    const { ranks, redundant, redundantOption } = ranksOf(startUp);
    const { routed } = facts.experts;
    const total = routed + redundant;
    if (ranks <= 1 || total % ranks === 0) return;
    const more = redundant + ranks - (total % ranks);
    const sizes = divisors(total).filter((size) => size <= ranks);
    yield {
      given: `divide ${routed} routed and ${redundant} redundant experts over ${ranks} expert parallel ranks, with a remainder of ${total % ranks}`,
      allowed: "a number of experts that divides evenly over the ranks",
      fix: `Set ${redundantOption} to ${more}, or the expert parallel size to ${orList(sizes.slice(-3))}.`,
    };
  };

export const divisors = (number: number): number[] =>
  Array.from({ length: Math.min(number, 512) }, (_, at) => at + 1).filter(
    (size) => number % size === 0,
  );

/**
 * Pipeline stages by architecture and release.
 *
 * @param ofOlder returns the fault of a release for which no data is stored
 */
export const stages = (
  ofOlder: (startUp: StartUp, flag: string) => ReturnType<StartUpCheck> = () => [],
): StartUpCheck =>
  function* (startUp) {
    const { engine, facts, parallelism } = startUp;
    const { pipeline } = parallelism;
    if (pipeline === 1) return;
    const flag = engine.modelFactors.pipeline ?? "the pipeline parallel size";
    if (pipeline > facts.layers)
      yield {
        given: `divide ${facts.layers} layers into ${pipeline} pipeline stages`,
        allowed: `at most ${facts.layers} stages`,
        fix: `Lower ${flag}.`,
      };
    const lacking = unstagedIn(startUp);
    if (lacking === undefined) {
      yield* ofOlder(startUp, flag);
      return;
    }
    yield {
      given: `set ${flag} ${pipeline} for ${facts.architecture}, which ${lacking.title} does not divide into pipeline stages`,
      allowed: lacking.others ?? "no pipeline stages",
      fix: `Set ${withoutStages(startUp, flag)}${lacking.others === undefined ? "" : ", or use another image"}.`,
    };
  };

/** Returns the options that use the same devices without pipeline stages. */
export const withoutStages = ({ engine, parallelism }: StartUp, flag: string): string =>
  `${flag} 1 and ${engine.modelFactors.tensor} ${parallelism.tensor * parallelism.pipeline}`;

/**
 * Returns the release in an image and the releases with stages for its architecture, if that release has the
 * architecture without stages.
 */
function unstagedIn({ engine, container, facts: { architecture } }: StartUp) {
  const { title, releases } = engine;
  const release = releases?.of(container.image);
  if (releases === undefined || !release?.names.unstaged.has(architecture)) return undefined;
  const where = presence(
    releases.all,
    release,
    ({ names }) => names.architectures.has(architecture) && !names.unstaged.has(architecture),
  );
  return {
    title: `${title} ${release.version}`,
    others: where && `stages for this architecture, which ${title} has ${where}`,
  };
}

/**
 * A draft model is also divided: vllm-project/vllm#10913.
 *
 * @param named returns the name and the ranks of the draft model
 */
export const draft = (
  named: (startUp: StartUp) => { readonly name: unknown; readonly ranks: unknown },
  fixOf: (fitting: number) => string,
): StartUpCheck =>
  function* (startUp) {
    const { name, ranks: own } = named(startUp);
    const facts = typeof name === "string" ? modelFacts(name) : undefined;
    if (facts === undefined) return;
    const ranks = Number(own ?? startUp.parallelism.tensor);
    const parts = unevenParts(facts, wholeModelOver(ranks));
    if (parts.length === 0) return;
    const fitting = divisors(ranks).filter(
      (size) => unevenParts(facts, wholeModelOver(size)).length === 0,
    );
    yield {
      given: `divide the draft model ${name} unevenly: ${parts.join("; ")}`,
      allowed: `a draft tensor parallel size of ${orList(fitting)}`,
      fix: fixOf(fitting.at(-1) ?? 1),
    };
  };
