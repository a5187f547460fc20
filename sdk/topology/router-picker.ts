import { endpointPickerName } from "../names.ts";
import type { RouterRole } from "../spec/role.ts";
import { runtimePorts } from "./runtime-ports.ts";

/** The picker of a router: a Service, and the Deployment of the same name behind it. */
export interface RouterPicker {
  readonly name: string;
  /** The port at which gateways call it for this service's pods. */
  readonly port: number;
}

/** Returns the picker of a service's router: its own or a shared one. */
export const routerPickerOf = (
  service: string,
  { shared }: Pick<RouterRole, "shared">,
): RouterPicker => ({
  name: endpointPickerName(shared?.name ?? service),
  port: shared?.port ?? runtimePorts.extProc,
});
