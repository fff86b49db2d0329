import theme from 'vitepress/theme'
import './contrast.css'
import './text.css'

export default theme
