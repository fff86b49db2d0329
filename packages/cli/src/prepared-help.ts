/** The texts of `help-texts.ts`. The build puts them in here; without them, help comes from the parser. */
export const preparedHelp = (): ReadonlyMap<string, string> => new Map()
