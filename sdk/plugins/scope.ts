import type { PodPluginEntry, PodPluginTarget } from "../spec/pod-plugin.ts";

/** The pods of a role for which a hook is called. */
export interface PodLocation {
  readonly roleName: string;
  readonly isEntry: boolean;
}

/** Whether a plugin's scope includes these pods. */
export function isInScope({ scope }: Pick<PodPluginEntry, "scope">, place: PodLocation): boolean {
  const { roles, target } = scope;
  return (roles === undefined || roles.includes(place.roleName)) && covers(target, place.isEntry);
}

const covers = (target: PodPluginTarget, isEntry: boolean) =>
  target === "All" || (target === "Entry") === isEntry;
