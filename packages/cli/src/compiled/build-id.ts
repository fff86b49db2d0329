/** What the built files are told apart by. The build puts it in here; without it, nothing compiled is kept. */
export const buildId = ''
