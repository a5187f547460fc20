/** Security contexts of this project's own pods, as the Pod Security Standard `restricted` requires. */

/** The image's user. No process needs another one. */
export const restrictedPod = {
  runAsNonRoot: true,
  runAsUser: 65_532,
  runAsGroup: 65_532,
  seccompProfile: { type: "RuntimeDefault" },
};

export const restrictedContainer = {
  allowPrivilegeEscalation: false,
  readOnlyRootFilesystem: true,
  capabilities: { drop: ["ALL"] },
};
