/** What tests stand on: API servers, scripted and real, and the objects in them. */
@NullMarked
package io.kubemirror.testground;

import org.jspecify.annotations.NullMarked;
