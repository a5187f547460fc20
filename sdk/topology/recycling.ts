import type { ComponentType } from "../spec/role.ts";

/** The flag with which a status controller deletes pods of services that allow it. */
export const recyclePodsFlag = "--recycle-pods";

/** Component types of the pods that are recycled: the ones that transfer KV caches. */
export const recycledTypes: readonly ComponentType[] = ["prefiller", "decoder"];
