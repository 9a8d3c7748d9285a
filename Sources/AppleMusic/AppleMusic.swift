// AppleMusic
