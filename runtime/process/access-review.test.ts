import { beforeEach, expect, it } from "vitest";
import { accessReview } from "./access-review.ts";

let now = 0;
let asked: Array<[path: string, object: object]> = [];
let answers: unknown[] = [];
const review = accessReview(
  {
    create: async (path, object) => {
      asked.push([path, object]);
      const answer = answers.shift();
      if (answer instanceof Error) throw answer;
      return answer;
    },
  },
  () => now,
);
const authenticated = {
  status: { authenticated: true, user: { username: "u", uid: "1", groups: ["g"] } },
};
const allowed = { status: { allowed: true } };
const denied = { status: { allowed: false } };

beforeEach(() => {
  now += 1_000_000;
  asked = [];
  answers = [];
});

it("asks who the token is, then whether they may read the path", async () => {
  answers = [authenticated, allowed];
  expect(await review.review("secret", "/metrics")).toBe("allowed");
  expect(asked).toEqual([
    [
      "/apis/authentication.k8s.io/v1/tokenreviews",
      {
        apiVersion: "authentication.k8s.io/v1",
        kind: "TokenReview",
        spec: { token: "secret" },
      },
    ],
    [
      "/apis/authorization.k8s.io/v1/subjectaccessreviews",
      {
        apiVersion: "authorization.k8s.io/v1",
        kind: "SubjectAccessReview",
        spec: {
          user: "u",
          uid: "1",
          groups: ["g"],
          nonResourceAttributes: { path: "/metrics", verb: "get" },
        },
      },
    ],
  ]);
});

it("knows nobody without a token", async () => {
  expect(await review.review(undefined, "/metrics")).toBe("unauthenticated");
  expect(asked).toEqual([]);
});

it.each([
  ["unauthenticated", [{ status: { authenticated: false } }]],
  ["unauthenticated", [{}]],
  ["forbidden", [authenticated, denied]],
  ["forbidden", [authenticated, {}]],
])("%s for %j", async (access, given) => {
  answers = given;
  expect(await review.review("t", "/metrics")).toBe(access);
});

it("believes a yes for a minute and a no for ten seconds, for that token and path", async () => {
  answers = [authenticated, allowed, authenticated, denied, authenticated, denied];
  await review.review("yes", "/metrics");
  await review.review("no", "/metrics");
  await review.review("yes", "/debug/state");
  expect(asked).toHaveLength(6);
  now += 9_999;
  expect(await review.review("yes", "/metrics")).toBe("allowed");
  expect(await review.review("no", "/metrics")).toBe("forbidden");
  expect(asked).toHaveLength(6);
  now += 1;
  answers = [authenticated, allowed];
  expect(await review.review("no", "/metrics")).toBe("allowed");
  now += 50_000;
  answers = [authenticated, denied];
  expect(await review.review("yes", "/metrics")).toBe("forbidden");
});

it("remembers no answer that it did not get", async () => {
  answers = [new Error("connection refused"), authenticated, allowed];
  await expect(review.review("t", "/metrics")).rejects.toThrow("connection refused");
  expect(await review.review("t", "/metrics")).toBe("allowed");
});
