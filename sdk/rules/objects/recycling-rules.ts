import { groups } from "../../../kubernetes/kinds/groups.ts";
import { kinds } from "../../../kubernetes/kinds/index.ts";
import type { ServiceObjectShape } from "../../stack/shapes.ts";
import type { Stack } from "../../stack/stack.ts";
import { specsOf, type TypedObject } from "../../stack/stack-object.ts";
import { containersOf } from "../../stack/workloads.ts";
import { recyclePodsFlag } from "../../topology/recycling.ts";
import { rulesOfPack, type StackRule } from "../helpers/stack-rule.ts";

const { stackRule } = rulesOfPack("inference-routing");

const serviceKind = `${groups.fusioninfer}/${kinds.InferenceService.kind}`;

export const recyclingIsDone = stackRule(
  { id: "recycling-is-enabled", code: "reference", level: "advisory" },
  {
    title: "The status controller may delete the pods of services with resilience.recycle",
    why: "Without the right to delete pods, the status controller cannot recycle them, and failed pods stay.",
    source: "docs/prefill-decode.md, Recycle failing pods",
    fix: "Set recyclesPods: true in InferenceControllers, or remove resilience.recycle.",
  },
  { of: (stack) => specsOf<ServiceObjectShape>(stack, serviceKind), needsPods: false },
  function* (service: TypedObject<ServiceObjectShape>, { stack }) {
    if (service.spec.resilience?.recycle === undefined || !hasIdleController(stack)) return;
    yield {
      path: [...service.path, "resilience", "recycle"],
      given: `is set, but the status controller runs without ${recyclePodsFlag}`,
      allowed: `a status controller with ${recyclePodsFlag}`,
      fix: "Set recyclesPods: true in InferenceControllers.",
    };
  },
);

/**
 * Reports whether the stack has a status controller, but none that recycles pods. A controller in another stack is not
 * visible.
 */
function hasIdleController(stack: Stack): boolean {
  const controllers = stack
    .everyWorkload()
    .flatMap(({ pods }) => pods)
    .flatMap((pods) => containersOf(pods).map(({ container }) => container.args ?? []))
    .filter(([program]) => program === "status-controller");
  return controllers.length > 0 && !controllers.some((args) => args.includes(recyclePodsFlag));
}

export const recyclingRules: readonly StackRule[] = [recyclingIsDone];
