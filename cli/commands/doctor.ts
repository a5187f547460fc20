import { Command } from "commander";
import type { Action } from "../action.ts";
import type { DoctorOptions } from "../doctor/doctor.ts";
import { addReadingOptions } from "../options.ts";

export const doctorCommand = (action: Action) =>
  addReadingOptions(
    new Command("doctor")
      .summary("check that a cluster can run InferenceServices")
      .description(
        "Checks what a cluster must have for InferenceServices and says how to fix what is wrong: kinds and controllers, those of this project among them, gateways, accelerators, and in the namespace of the services images that cannot be pulled and volumes that nobody makes. Reads only.",
      ),
  )
    .addHelpText("after", examples)
    .action((options: DoctorOptions) =>
      action(async (terminal) => {
        const { doctor } = await import("../doctor/doctor.ts");
        return doctor(options, terminal);
      }),
    );

const examples = `
Ends with 1 where something is wrong that keeps services from starting.

Examples:
  pulumi-inference doctor
  pulumi-inference doctor --context gpu-cluster -n models
  pulumi-inference doctor --format json | jq '.[] | select(.level != "ok")'`;
