export { accessQuestions, answerQuestions } from './access.js'
export { createSurvey, listQuestions } from './lists.js'
export type { Question, Survey } from './question.js'
export { recordQuestions } from './records.js'
