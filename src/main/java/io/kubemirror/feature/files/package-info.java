/** The source of objects that is a directory of YAML or JSON files. */
@NullMarked
package io.kubemirror.feature.files;

import org.jspecify.annotations.NullMarked;
