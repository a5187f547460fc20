import { flowControlSettings } from "../build.ts";
import { withHeading } from "../config/problems-of.fixture.ts";
import { loadPickerConfig } from "../config/read.ts";
import type { Capacity } from "./capacity.ts";
import { FlowController } from "./flow-controller.ts";
import type { FlowRequest } from "./flow-request.ts";
import type { FlowControlSettings } from "./settings.ts";

/** A request with a name, so that tests can identify dispatched requests. */
export interface Named extends FlowRequest {
  readonly name: string;
}

/** Returns the settings of a configuration, from the YAML after its heading and feature gate. */
export function settingsOf(body = ""): FlowControlSettings {
  const text = withHeading(`featureGates: [flowControl]\n${body}`);
  const { config } = loadPickerConfig(text, "picker.yaml");
  return flowControlSettings(config) as FlowControlSettings;
}

export const controllerOf = (body = ""): FlowController<Named> =>
  new FlowController<Named>(settingsOf(body));

type Given = Partial<Omit<Named, "flow" | "name">> & { flow?: string; priority?: number };

export function named(name: string, { flow = "f", priority = 0, ...given }: Given = {}): Named {
  const byDefault = { bytes: 100, promptTokens: 10, receivedAt: 0 };
  return { ...byDefault, ...given, name, flow: { id: flow, priority } };
}

interface Room {
  readonly slots?: number;
  readonly saturation?: number;
  readonly takes?: (request: Named) => boolean;
}

/** A capacity with a number of slots, each used once. */
export function room({ slots = 1_000, saturation = 0, takes = () => true }: Room = {}) {
  let left = slots;
  return {
    saturation: () => saturation,
    size: () => ({ endpoints: 1, slots }),
    freeSlots: () => left,
    take(request) {
      if (!takes(request)) return false;
      left -= 1;
      return true;
    },
  } satisfies Capacity<Named>;
}

/** Dispatches, and returns the names of the requests in order. */
export const dispatchedNames = (
  controller: FlowController<Named>,
  given: Room = {},
  now = 0,
): string[] => controller.dispatch(now, room(given)).map(({ request }) => request.name);
