import { describe, expect, it } from "vitest";
import type { Container } from "../../schemas/pod-template.ts";
import { argumentsOf } from "../index.ts";
import { sglang } from "../sglang/group.ts";
import { mp } from "../vllm/mp.ts";
import { ray } from "../vllm/ray.ts";

const rayLeader = (container: Container) =>
  ray.bootstrap.leader(container, 2, argumentsOf(container));
const mpWorker = (container: Container) =>
  mp.bootstrap.worker(container, 2, argumentsOf(container));
const sglangPod = (container: Container) => sglang.bootstrap.worker(container, 2);

const engine = (args: unknown): Container => ({ name: "vllm", args });

/** A value that is only known later, such as an Output. */
const later = <T>(value: T) => Promise.resolve(value);

describe("command line of a multi-node engine", () => {
  it("is quoted for the shell once all of its words are known", async () => {
    const known = rayLeader(engine(["--model", "it's", "--seed", 1])).args as string[];
    expect(known[0]).toMatch(/vllm serve --model 'it'\\''s' --seed 1 --distributed/);
    const words = ["--model", later("it's"), later("--seed"), 1];
    for (const args of [words, later(["--model", "it's", "--seed", 1])]) {
      const [script] = rayLeader(engine(args)).args as [Promise<string>];
      expect(await script).toBe(known[0]);
    }
  });

  it("keeps the position of words that are known later if no shell parses it", async () => {
    const model = later("m");
    expect(mpWorker(engine(["--model", model])).args).toEqual(
      (mpWorker(engine(["--model", "m"])).args as unknown[]).map((word) =>
        word === "m" ? model : word,
      ),
    );
    const { args } = sglangPod(engine(later(["--model", "m"])));
    expect(await args).toEqual(sglangPod(engine(["--model", "m"])).args);
  });

  it("is refused if an Output resolves to undefined", async () => {
    const [script] = rayLeader(engine(["--model", later(undefined)])).args as [Promise<string>];
    await expect(script).rejects.toThrow("an engine argument is undefined");
  });
});
