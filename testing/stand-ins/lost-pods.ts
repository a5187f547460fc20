import type { Pod } from "./objects.ts";

/**
 * Owners of pods that were there at an earlier look and are gone. A controller is told of every deletion; one that looks
 * at what there is has to remember, since a pod may go and come again between two looks.
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
