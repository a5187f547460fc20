import { wordsOf } from "../../engines/command-line/started-programs.ts";
import { engineOf } from "../../engines/containers/engine-container.ts";
import { engineNameOf } from "../../engines/index.ts";
import {
  type InferenceServiceSpec,
  inferenceRolesOf,
  isDisaggregated,
  routerOf,
} from "../../spec/inference-service.ts";
import { takesArguments } from "../../topology/decode-sidecar.ts";
import { isPairSide, missingTransfer } from "./kv-transfer.ts";

/**
 * Reports whether the plan configures the transfer of KV cache blocks between prefillers and decoders. It does so
 * behind a router if both sides run the same engine, accept arguments, and set no transfer themselves. If one side sets
 * a transfer, the other side must set it too.
 */
export function transferIsPlanned(spec: Pick<InferenceServiceSpec, "roles">): boolean {
  if (routerOf(spec) === undefined || !isDisaggregated(spec.roles)) return false;
  const sides = inferenceRolesOf(spec).flatMap(({ componentType, template }) =>
    isPairSide(componentType) ? [{ componentType, engine: engineOf(template.spec) }] : [],
  );
  const names = new Set(sides.map(({ engine }) => engineNameOf(engine)));
  return (
    names.size === 1 &&
    sides.every(
      ({ componentType, engine }) =>
        takesArguments(engine) &&
        missingTransfer(engine, componentType) !== undefined &&
        !wordsOf(engine).some(({ text }) => /^--disaggregation-(?!ib-device)/.test(text)),
    )
  );
}
