// The functions of Asio and Beast that are not templates, compiled once instead of with every file.
#include <boost/asio/impl/src.hpp>
#include <boost/asio/ssl/impl/src.hpp>
#include <boost/beast/src.hpp>
