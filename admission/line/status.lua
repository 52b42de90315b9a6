-- Says how the room is.
return enter(false) or finish('OK')
