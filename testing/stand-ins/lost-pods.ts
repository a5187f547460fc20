import type { Pod } from "./objects.ts";

/**
 * Owners of pods that an earlier call listed and that are gone. A controller receives every deletion. This loop only
 * lists pods, so it must remember them: a pod may be deleted and created again between two calls.
 */
export function lostPods(): (pods: readonly Pod[]) => ReadonlySet<string> {
  let ownerOf = new Map<string, string>();
  const bereft = new Set<string>();
  return (pods) => {
    const present = new Set(pods.map(({ metadata }) => metadata.uid));
    for (const [uid, owner] of ownerOf) if (!present.has(uid)) bereft.add(owner);
    for (const owner of bereft) if (!present.has(owner)) bereft.delete(owner);
    ownerOf = new Map(
      pods.flatMap(({ metadata }) =>
        (metadata.ownerReferences ?? []).map(({ uid }) => [metadata.uid, uid] as const),
      ),
    );
    return bereft;
  };
}
