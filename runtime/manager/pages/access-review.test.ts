import { beforeEach, expect, it } from "vitest";
import { pageAudience } from "../../../sdk/names.ts";
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

const from = "10.0.0.1";

beforeEach(() => {
  now += 1_000_000;
  asked = [];
  answers = [];
});

it("a review checks the token first, then access to the path", async () => {
  answers = [authenticated, allowed];
  expect(await review.review("secret", "/metrics", from)).toBe("allowed");
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

/** A token in the form that the API server signs, with the given audiences. */
const tokenFor = (...aud: string[]) =>
  ["{}", JSON.stringify({ aud }), "signature"].map((part) => btoa(part)).join(".");

it("a token for these pages is reviewed with their audience, which the response must contain", async () => {
  const token = tokenFor(pageAudience);
  const audiences = [pageAudience];
  answers = [{ status: { ...authenticated.status, audiences } }, allowed];
  expect(await review.review(token, "/metrics", from)).toBe("allowed");
  expect(asked[0]?.[1]).toMatchObject({ spec: { token, audiences } });
  answers = [authenticated, allowed];
  expect(await review.review(token, "/debug/state", from)).toBe("unauthenticated");
});

it("a token for another audience is reviewed without audiences", async () => {
  for (const token of [tokenFor("vault"), "a.b.c", "..", `a.${btoa("null")}.c`]) {
    answers = [{ status: { authenticated: false } }];
    expect(await review.review(token, "/metrics", from)).toBe("unauthenticated");
    expect(asked.at(-1)?.[1]).toMatchObject({ spec: { token } });
    expect(JSON.stringify(asked.at(-1))).not.toContain("audiences");
  }
});

it("a request without a token is unauthenticated", async () => {
  expect(await review.review(undefined, "/metrics", from)).toBe("unauthenticated");
  expect(asked).toEqual([]);
});

it.each([
  ["unauthenticated", [{ status: { authenticated: false } }]],
  ["unauthenticated", [{}]],
  ["forbidden", [authenticated, denied]],
  ["forbidden", [authenticated, {}]],
])("access is %s for responses %j", async (access, given) => {
  answers = given;
  expect(await review.review("t", "/metrics", from)).toBe(access);
});

it("a grant is cached for 60 seconds and a denial for 10, per token and path", async () => {
  answers = [authenticated, allowed, authenticated, denied, authenticated, denied];
  await review.review("yes", "/metrics", from);
  await review.review("no", "/metrics", from);
  await review.review("yes", "/debug/state", from);
  expect(asked).toHaveLength(6);
  now += 9_999;
  expect(await review.review("yes", "/metrics", from)).toBe("allowed");
  expect(await review.review("no", "/metrics", from)).toBe("forbidden");
  expect(asked).toHaveLength(6);
  now += 1;
  answers = [authenticated, allowed];
  expect(await review.review("no", "/metrics", from)).toBe("allowed");
  now += 50_000;
  answers = [authenticated, denied];
  expect(await review.review("yes", "/metrics", from)).toBe("forbidden");
});

it("an error is not cached", async () => {
  answers = [new Error("connection refused"), authenticated, allowed];
  await expect(review.review("t", "/metrics", from)).rejects.toThrow("connection refused");
  expect(await review.review("t", "/metrics", from)).toBe("allowed");
});

it("C10: per address, 10 unknown tokens are reviewed at first, then 1 per second", async () => {
  answers = [authenticated, allowed];
  expect(await review.review("prometheus", "/metrics", "10.0.0.9")).toBe("allowed");
  asked = [];
  const flood = async (count: number) => {
    const told = [];
    for (let at = 0; at < count; at += 1) {
      answers = [{ status: { authenticated: false } }];
      told.push(await review.review(`made-up-${now}-${at}`, "/metrics", "10.0.0.8"));
    }
    return told;
  };
  const told = await flood(5_000);
  expect(told.filter((access) => access === "unauthenticated")).toHaveLength(10);
  expect(told.filter((access) => access === "busy")).toHaveLength(4_990);
  expect(asked).toHaveLength(10);
  now += 2_000;
  expect((await flood(100)).filter((access) => access === "unauthenticated")).toHaveLength(2);
  asked = [];
  expect(await review.review("prometheus", "/metrics", "10.0.0.9")).toBe("allowed");
  expect(asked).toEqual([]);
});

it("concurrent requests with one token share a review", async () => {
  answers = [authenticated, allowed];
  const both = [review.review("twice", "/metrics", from), review.review("twice", "/metrics", from)];
  expect(await Promise.all(both)).toEqual(["allowed", "allowed"]);
  expect(asked).toHaveLength(2);
});
