export { countsOf, type ListEnd, type PageBody, readList } from './list-end.js'
export {
  type EveryItemOptions,
  everyItem,
  everyPage,
  type Items,
  itemsOfList,
  iterable,
  type ListBody,
  type OpenPage,
  type Page,
  type PageAnswer,
  type PagedList,
  pageOf,
} from './pages.js'
