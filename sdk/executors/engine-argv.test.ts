import { describe, expect, it } from "vitest";
import type { Container } from "../spec/role.ts";
import { mp } from "./mp.ts";
import { ray } from "./ray.ts";
import { sglang } from "./sglang.ts";

const rayLeader = (container: Container) => ray.bootstrap.leader(container);
const mpWorker = mp.bootstrap.worker;
const sglangPod = sglang.bootstrap.worker;

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
    expect(mpWorker(engine(["--model", model]), 2).args).toEqual(
      (mpWorker(engine(["--model", "m"]), 2).args as unknown[]).map((word) =>
        word === "m" ? model : word,
      ),
    );
    const { args } = sglangPod(engine(later(["--model", "m"])), 2);
    expect(await args).toEqual(sglangPod(engine(["--model", "m"]), 2).args);
  });

  it("is refused if an Output resolves to undefined", async () => {
    const [script] = rayLeader(engine(["--model", later(undefined)])).args as [Promise<string>];
    await expect(script).rejects.toThrow("an engine argument is undefined");
  });
});
