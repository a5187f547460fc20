/** Security contexts of this project's own pods: what the Pod Security Standard `restricted` asks for. */

/** The image's user; no process of it needs another. */
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
