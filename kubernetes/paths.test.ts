import { expect, it } from "vitest";
import { kinds } from "./kinds/index.ts";
import { collectionPath, groupVersionPath, objectPath, statusPath } from "./paths.ts";

it.each([
  [groupVersionPath("v1"), "/api/v1"],
  [groupVersionPath("apps/v1"), "/apis/apps/v1"],
  [collectionPath(kinds.Service), "/api/v1/services"],
  [collectionPath(kinds.Deployment, "a"), "/apis/apps/v1/namespaces/a/deployments"],
  [objectPath(kinds.Namespace, { name: "a" }), "/api/v1/namespaces/a"],
  [
    objectPath(kinds.Deployment, { namespace: "a", name: "b" }),
    "/apis/apps/v1/namespaces/a/deployments/b",
  ],
  [
    statusPath(kinds.Deployment, { namespace: "a", name: "b" }),
    "/apis/apps/v1/namespaces/a/deployments/b/status",
  ],
  [
    objectPath(kinds.ClusterRole, { name: "system:node" }),
    "/apis/rbac.authorization.k8s.io/v1/clusterroles/system:node",
  ],
  // A name that the API server would refuse does not lead to another path.
  [
    objectPath(kinds.Service, { namespace: "../a", name: "b/c?d" }),
    "/api/v1/namespaces/..%2Fa/services/b%2Fc%3Fd",
  ],
])("objectPath, collectionPath and statusPath build %s", (path, expected) => {
  expect(path).toBe(expected);
});
