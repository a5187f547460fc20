/** Content type of a JSON merge patch (RFC 7386). */
export const mergePatchType = "application/merge-patch+json";

/** Content type of server-side apply. */
export const applyPatchType = "application/apply-patch+yaml";
