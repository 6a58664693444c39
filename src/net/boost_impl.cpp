// Asio and Beast, compiled once for the whole project (see the macros in the top meson.build).
#include <boost/asio/impl/src.hpp>
#include <boost/beast/src.hpp>
