/** Constants of a dashboard, by which its queries select one service. */
export const constants = ["namespace", "objectives", "picker_job", "engine_job"] as const;

export type Constant = (typeof constants)[number];

/** Returns a constant as a label value in a query. */
export const constant = (name: Constant): `$${Constant}` => `$${name}`;

/** Tag of all dashboards. The plan replaces it in links by a tag of one service. */
export const linkTag = "inference";

/** Title of the row that is left out for services without objectives. */
export const objectivesRow = "Objectives";
