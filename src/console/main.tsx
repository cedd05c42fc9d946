import './styles/index.css'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from './shell/app.tsx'

const place = document.querySelector('#console')
if (!place) throw new Error('the page has no place for the console')
createRoot(place).render(
  <StrictMode>
    <App />
  </StrictMode>,
)
