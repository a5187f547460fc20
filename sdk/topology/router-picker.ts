import type { RouterRole } from "../spec/role.ts";
import { endpointPickerName } from "./names.ts";
import { runtimePorts } from "./runtime-ports.ts";

/** The picker that a router names: a Service, with the Deployment of the same name behind it. */
export interface RouterPicker {
  readonly name: string;
  /** The port at which gateways ask it for this service's pods. */
  readonly port: number;
}

/** The picker of a service's router: its own, or that which it shares. */
export const routerPickerOf = (
  service: string,
  { shared }: Pick<RouterRole, "shared">,
): RouterPicker => ({
  name: endpointPickerName(shared?.name ?? service),
  port: shared?.port ?? runtimePorts.extProc,
});
