import { picker, shuffle } from "./picker.ts";

export const randomPicker = picker("random-picker", "Selects a random endpoint.", shuffle);
