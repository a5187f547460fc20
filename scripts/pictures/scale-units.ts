import { DesiredReplicas } from "../../scheduling/scaling/desired-replicas.ts";
import { rectangle, svgFile, text } from "./svg.ts";

const margin = 24;
const targetUtilization = 0.8;
const unit = new Map([
  ["prefiller", 1],
  ["decoder", 2],
]);
/** Slots of one replica of each role, as an example. */
const slots = { prefiller: 32, decoder: 12 };
const maxUnits = 8;

/** Returns the picture of the units of a service with prefillers and decoders for some numbers of requests. */
export function scaleUnits(): string {
  const desired = new DesiredReplicas({ unit, targetUtilization });
  const ready = Object.entries(slots).map(([role, slotsOfRole]) => ({
    role,
    replicas: 1,
    load: 0,
    slots: slotsOfRole,
    isLimitKnown: true,
  }));
  const [left, box, gap, row] = [110, 18, 12, 40];
  const width = unitWidth(box) + gap;
  const right = left + maxUnits * width + 110;
  const elements = [
    text("head", margin, 34, "Units of one prefiller and two decoders"),
    text(
      "muted",
      margin,
      54,
      `Example: ${slots.prefiller} slots per prefiller, ${slots.decoder} per decoder, targetUtilization 80. Decoders limit a unit.`,
    ),
    rectangle("s2", { x: margin, y: 66, width: 14, height: 12 }, 3),
    text("muted", margin + 20, 76, "prefiller"),
    rectangle("s3", { x: margin + 90, y: 66, width: 14, height: 12 }, 3),
    text("muted", margin + 110, 76, "decoder"),
  ];
  const description: string[] = [];
  let y = 96;
  for (const requests of [0, 10, 40, 80, 150]) {
    const units = Math.min(maxUnits, desired.units(requests, ready));
    elements.push(text("end", left - 14, y + 19, `${requests} requests`));
    for (let at = 0; at < units; at++) {
      const x = left + at * width;
      elements.push(rectangle("frame", { x: x - 4, y, width: width - 4, height: row - 12 }, 4));
      for (let nth = 0; nth < 3; nth++)
        elements.push(
          rectangle(nth === 0 ? "s2" : "s3", { x: x + nth * box, y: y + 5, width: 15, height: 18 }),
        );
    }
    const counted = `${units} ${units === 1 ? "unit" : "units"}`;
    elements.push(text("muted", left + units * width + 4, y + 19, counted));
    description.push(`${requests} requests: ${counted}.`);
    y += row;
  }
  return svgFile({
    title: "Units of a service with prefillers and decoders",
    description: description.join(" "),
    width: right,
    height: y,
    elements,
  });
}

const unitWidth = (box: number) =>
  box * [...unit.values()].reduce((sum, replicas) => sum + replicas, 0);
