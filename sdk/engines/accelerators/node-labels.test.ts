import { describe, expect, it } from "vitest";
import { acceleratorNames, acceleratorTypes, isSlice } from "./index.ts";
import { acceleratorsOfLabels, labelsOfNodesWith, nodeLabels } from "./node-labels.ts";

/** Labels of nodes, from the accelerator to the labels and back. */

const labelled = acceleratorNames.filter((name) => labelsOfNodesWith(name).length > 0);

describe("labels of nodes", () => {
  it.each(labelled)("the labels of %s name only this accelerator", (name) => {
    for (const alternative of labelsOfNodesWith(name))
      for (const value of alternative[0]?.values ?? []) {
        const others = alternative
          .slice(1)
          .map(({ key, values }) => [key, `${values[0]}`] as const);
        expect(acceleratorsOfLabels([[`${alternative[0]?.key}`, value], ...others])).toEqual([
          name,
        ]);
      }
  });

  it("a label has no value for two accelerators", () => {
    for (const { key, values } of nodeLabels) {
      const all = Object.values(values).flat();
      expect(new Set(all).size, key).toBe(all.length);
    }
  });

  it("every value is a label value, without braces", () => {
    const values = labelled
      .flatMap((name) => labelsOfNodesWith(name))
      .flat()
      .flatMap((one) => one.values);
    expect(
      values.filter((value) => !/^[A-Za-z0-9]([\w.-]{0,61}[A-Za-z0-9])?$/.test(value)),
    ).toEqual([]);
  });

  it("only Gaudi, Ascend and CPUs have no label, and slices follow their GPU", () => {
    expect(acceleratorNames.filter((name) => !labelled.includes(name))).toEqual([
      "gaudi2",
      "gaudi3",
      "ascend-910b",
      "cpu",
    ]);
    expect(labelsOfNodesWith("h100-sxm-3g.40gb")).toEqual([
      [{ key: "nvidia.com/gpu.product", values: ["NVIDIA-H100-80GB-HBM3-MIG-3g.40gb"] }],
      [{ key: "nvidia.com/mig-3g.40gb.product", values: ["NVIDIA-H100-80GB-HBM3-MIG-3g.40gb"] }],
      [
        {
          key: "cloud.google.com/gke-accelerator",
          values: ["nvidia-h100-80gb", "nvidia-h100-mega-80gb"],
        },
        { key: "cloud.google.com/gke-gpu-partition-size", values: ["3g.40gb"] },
      ],
    ]);
    expect(acceleratorNames.filter(isSlice).every((name) => labelled.includes(name))).toBe(true);
  });

  it("nodes with shared devices have the accelerator only for pods that use a share", () => {
    const [product] = labelsOfNodesWith("l4").flat();
    expect(product?.values).toEqual(["NVIDIA-L4"]);
    expect(labelsOfNodesWith("l4", true).flat()[0]?.values).toEqual([
      "NVIDIA-L4",
      "NVIDIA-L4-SHARED",
    ]);
    expect(acceleratorsOfLabels([["nvidia.com/gpu.product", "NVIDIA-L4-SHARED"]])).toEqual(["l4"]);
  });

  it.each([
    ["a part of an A10", "node.kubernetes.io/instance-type", "Standard_NV6ads_A10_v5"],
    ["a vendor", "kubernetes.azure.com/accelerator", "nvidia"],
    ["a GPU of two sizes", "karpenter.k8s.aws/instance-gpu-name", "a100"],
    ["a name of Object's prototype", "nvidia.com/gpu.product", "constructor"],
  ])("%s names no accelerator", (_, key, value) => {
    expect(acceleratorsOfLabels([[key, value]])).toEqual([]);
  });

  it("every accelerator with a label is of the type that the label's maker sells", () => {
    for (const name of labelled)
      for (const { key } of labelsOfNodesWith(name).flat())
        if (key.startsWith("nvidia.com/")) expect(acceleratorTypes[name].platform).toBe("cuda");
  });
});
