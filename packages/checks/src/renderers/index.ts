export { withoutTurns } from './json.js'
export { renderPage } from './page.js'
export * from './render.js'
export { type Style, terminal } from './terminal.js'
