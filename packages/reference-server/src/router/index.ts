export { createRouteTable, type FindRoute } from './route-table.js'
export { createRouter } from './router.js'
