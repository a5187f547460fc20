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

it("reads an API server's review of a pod", () => {
  expect(readReview(review({}))).toMatchObject({ uid: "u", namespace: "models" });
});

it.each([
  ["a pod in another namespace than the request", { namespace: "other" }, /another namespace/],
  ["a pod without a namespace", { object: { ...request.object, metadata: {} } }, /namespace/],
  [
    "an object that is not a pod",
    { resource: { group: "apps", resource: "deployments" } },
    /resource/,
  ],
  ["an update of a pod", { operation: "UPDATE" }, /operation/],
  ["a request without a user", { userInfo: undefined }, /userInfo/],
])("refuses %s", (_, change, reason) => {
  expect(() => readReview(review(change))).toThrow(reason);
});

it.each([
  ["containers", { spec: { containers: Array.from({ length: 100_000 }, () => 1) } }],
  [
    "annotations",
    {
      metadata: {
        namespace: "models",
        annotations: Object.fromEntries(Array.from({ length: 100_000 }, (_, at) => [`a${at}`, 1])),
      },
    },
  ],
])("reports one error for a review with 100,000 invalid %s", (what, change) => {
  const wrong = review({ object: { ...request.object, ...change } });
  const said = () => {
    try {
      readReview(wrong);
      return "nothing";
    } catch (error) {
      return (error as Error).message;
    }
  };
  const message = said();
  expect(message).toContain(what);
  expect(message.length).toBeLessThan(1_000);
});
