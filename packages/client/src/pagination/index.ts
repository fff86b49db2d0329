export { countsOf, type ListEnd, type PageBody, readList } from './list-end.js'
export * from './pages.js'
