extension HeadlessBrowser {
    /// The texts of the page whose contrast with their background is below 4.5 to 1.
    ///
    /// That is the least of WCAG 2.2, 1.4.3. Drawings and disabled controls are left out.
    public func paleTexts() throws -> String {
        try text(
            """
            (() => {
              const channel = c => (c /= 255) <= .04045 ? c / 12.92 : ((c + .055) / 1.055) ** 2.4
              const numbers = text => text.match(/[\\d.]+/g).map(Number)
              const light = c => .2126 * channel(c[0]) + .7152 * channel(c[1]) + .0722 * channel(c[2])
              const behind = e => {
                for (; e; e = e.parentElement) {
                  const c = numbers(getComputedStyle(e).backgroundColor)
                  if (c.length < 4 || c[3] > 0) return c
                }
                return [255, 255, 255]
              }
              const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
              const pale = []
              while (walker.nextNode()) {
                const element = walker.currentNode.parentElement
                if (!walker.currentNode.data.trim() || element.disabled) continue
                if (element.closest('svg, script, style, noscript')) continue
                const [a, b] = [light(numbers(getComputedStyle(element).color)), light(behind(element))]
                if ((Math.max(a, b) + .05) / (Math.min(a, b) + .05) < 4.5) pale.push(walker.currentNode.data)
              }
              return pale.join('|')
            })()
            """)
    }
}
