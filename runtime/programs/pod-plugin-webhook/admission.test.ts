import { expect, it } from "vitest";
import { readReview } from "./admission.ts";

const request = {
  uid: "u",
  operation: "CREATE",
  resource: { group: "", version: "v1", resource: "pods" },
  namespace: "models",
  userInfo: { username: "system:serviceaccount:kube-system:statefulset-controller" },
  object: { metadata: { namespace: "models" }, spec: { containers: [{ name: "c" }] } },
};
const review = (change: object) => ({
  apiVersion: "admission.k8s.io/v1",
  kind: "AdmissionReview",
  request: { ...request, ...change },
});

it("reads what an API server asks", () => {
  expect(readReview(review({}))).toMatchObject({ uid: "u", namespace: "models" });
});

it.each([
  ["a pod of another namespace than the request", { namespace: "other" }, /another namespace/],
  ["a pod that says no namespace", { object: { ...request.object, metadata: {} } }, /namespace/],
  [
    "an object that is not a pod",
    { resource: { group: "apps", resource: "deployments" } },
    /resource/,
  ],
  ["a pod that is there already", { operation: "UPDATE" }, /operation/],
  ["nobody's request", { userInfo: undefined }, /userInfo/],
])("refuses %s", (_, change, reason) => {
  expect(() => readReview(review(change))).toThrow(reason);
});
