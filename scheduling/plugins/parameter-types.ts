import { z } from "zod";

/** Types of parameters that several plugins have. */

export const amount = z.number().min(0);
export const share = amount.max(1);
export const count = z.number().int().min(0);
export const positiveCount = z.number().int().positive();
