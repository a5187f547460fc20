import { picker, shuffle } from "./picker.ts";

export const randomPicker = picker("random-picker", "Selects any endpoint at random.", shuffle);
